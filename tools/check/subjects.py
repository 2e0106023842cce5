"""Subjects of commits have at most 72 characters, so that `git log --oneline` and mail show them whole."""
import subprocess

MOST = 72
SINCE = "893c62aeb28465d0f956ec8068ee99cc16f0b59b"  # older commits are not checked


def findings(root, since=SINCE):
    """One text for each violation. None where the history lacks that commit: a shallow clone, an archive, another repository."""
    log = subprocess.run(["git", "log", "--format=%h %s", f"{since}..HEAD"], cwd=root, capture_output=True, text=True)
    for line in log.stdout.splitlines() if log.returncode == 0 else []:
        commit, _, subject = line.partition(" ")
        if len(subject) > MOST:
            yield f"{commit}: subjects: {len(subject)} characters, {MOST} at the most: {subject}"
