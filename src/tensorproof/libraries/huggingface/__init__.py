"""Hugging Face's hub: the mixin and functions that packages of models build on."""
