/** Results go to stdout, this to stderr. */
export const progress = (text) => process.stderr.write(`  ${text}\n`)
