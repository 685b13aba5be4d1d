"""Rules that read questions as steps, one module per family of frames."""
