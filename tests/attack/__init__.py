"""An attack on the verdict: small programs from seeded generators, run under the real library, whose outcome the verdict must agree with."""
