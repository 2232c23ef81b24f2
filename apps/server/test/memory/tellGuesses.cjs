// Loaded into a server before its own code: V8 tells, between the lines of the log, which objects it takes for long-lived ones.
require('node:v8').setFlagsFromString('--trace-pretenuring-statistics')
