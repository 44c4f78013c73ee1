"""The library tester: two ways of computing the same thing must agree."""
