#!/usr/bin/env node
/** The command `toolnexus`, so that one install brings it. */
import "@effect-toolnexus/cli/bin"
