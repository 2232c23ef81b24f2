import type { Json } from './Json.js'

/** What a command has to say: the same for a program and for a person. `exit` 1 says that something needs attention. */
export interface Report {
  readonly json: Json
  /** One line of text each. */
  readonly lines: ReadonlyArray<string>
  readonly exit: 0 | 1
  /** To be said when nobody got the report, where it cannot be had again. */
  readonly unseen?: string
}

export const report = (json: Json, lines: ReadonlyArray<string>): Report => ({ json, lines, exit: 0 })
