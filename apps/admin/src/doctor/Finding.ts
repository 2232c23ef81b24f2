import { UserId } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import type { Json } from '../Json.js'

export type Kind =
  | 'missing area'
  | 'unreadable directory'
  | 'unlistable name'
  | 'path too long'
  | 'orphan setting'
  | 'unlisted below private'
  | 'expired token'

/** Something an operator may want to change, and how. */
export interface Finding {
  readonly kind: Kind
  readonly account: UserId.UserId
  readonly path: O.Option<string>
  readonly message: string
  /** Good to know, and most likely meant: it needs no attention. */
  readonly note?: true
}

export const isNote = ({ note }: Finding): boolean => note === true

export const toJson = (finding: Finding): Json => ({
  kind: finding.kind,
  account: UserId.toDecimal(finding.account),
  path: O.toNullable(finding.path),
  message: finding.message,
  note: isNote(finding),
})

export const toLine = ({ kind, account, path, message, note }: Finding): string =>
  `${note === true ? 'note: ' : ''}account ${UserId.toDecimal(account)}${O.isSome(path) ? ` ${path.value}` : ''}: ${kind}: ${message}`
