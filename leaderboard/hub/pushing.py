"""Uploads a repository's folder to the Hub, in one commit."""

from __future__ import annotations

from dnc_datasets.errors import DncError
from dnc_leaderboard.hub.trees import Repository


class PushError(DncError, RuntimeError):
    """The Hub did not take what was pushed."""


def push(repository: Repository, *, private: bool = False, pull_request: bool = False) -> str:
    """Make the repository if it is not there, and commit its files; returns the commit's address.

    The Hub's own library finds the endpoint and the token (`hf auth login`, $HF_TOKEN); nothing of it is kept.
    """
    try:
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError
    except ImportError as error:
        raise PushError('pushing needs huggingface_hub: `pip install "dnc-bench[hub]"`') from error
    from httpx import HTTPError

    api = HfApi(library_name="dnc-bench")
    try:
        api.create_repo(
            repository.name,
            repo_type=repository.kind,
            private=private or None,
            exist_ok=True,
            space_sdk="gradio" if repository.kind == "space" else None,
        )
        info = api.upload_folder(
            repo_id=repository.name,
            repo_type=repository.kind,
            folder_path=repository.folder,
            commit_message="Written by dnc push",
            create_pr=pull_request,
        )
    except (HfHubHTTPError, HTTPError, OSError, ValueError) as error:
        said = str(error).strip().split("\n")[0]
        raise PushError(
            f"{repository.kind} {repository.name} was not pushed: {said}. Log in with `hf auth login` as someone who "
            "may write there, and push again"
        ) from None
    return str(info.pr_url if pull_request else info.commit_url)
