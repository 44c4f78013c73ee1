"""What torchvision's own source asks of its compiled part: reading the source takes it for loaded."""

from __future__ import annotations
