"""Fine-tuning of pretrained models: encoder-decoders and causal language models of transformers."""
