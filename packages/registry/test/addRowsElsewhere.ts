import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type RegistryUrl, toText } from '../src/RegistryUrl.js'

const script = fileURLToPath(new URL('addRows.mjs', import.meta.url))

/** Adds rows to each table, with ids from `first`, in another process. Its end closes all its files. */
export const addRowsElsewhere = (url: RegistryUrl, first = 1, count = 1) =>
  promisify(execFile)(process.execPath, [script, toText(url), `${first}`, `${count}`])
