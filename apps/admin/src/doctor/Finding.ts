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
}

export const toJson = ({ kind, account, path, message }: Finding): Json => ({
  kind,
  account: UserId.toDecimal(account),
  path: O.toNullable(path),
  message,
})

export const toLine = ({ kind, account, path, message }: Finding): string =>
  `account ${UserId.toDecimal(account)}${O.isSome(path) ? ` ${path.value}` : ''}: ${kind}: ${message}`
