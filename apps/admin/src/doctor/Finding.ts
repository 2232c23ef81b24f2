import { UserId } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import type { Json } from '../Json.js'

export type Kind =
  | 'damaged registry'
  | 'missing storage'
  | 'missing area'
  | 'area not mounted'
  | 'overlapping areas'
  | 'unreadable directory'
  | 'unknown node'
  | 'unlistable name'
  | 'path too long'
  | 'folded names'
  | 'orphan setting'
  | 'orphan scope'
  | 'unlisted below private'
  | 'open secret'
  | 'expired token'
  | 'broken trigger'
  | 'expired trigger'

/** What a finding is about: an account, or a place in its area; a trigger, which belongs to no account; or all of them. */
export type Subject =
  | { readonly account: UserId.UserId; readonly path: O.Option<string> }
  | { readonly trigger: string }
  | { readonly storage: string }
  | { readonly registry: string }

/** Something an operator may want to change, and how. */
export type Finding = Subject & {
  readonly kind: Kind
  readonly message: string
  /** Good to know, and most likely meant: it needs no attention. */
  readonly note?: true
}

export const isNote = ({ note }: Finding): boolean => note === true

const subjectJson = (subject: Subject) =>
  'storage' in subject || 'registry' in subject
    ? { account: null, path: null, trigger: null }
    : 'trigger' in subject
      ? { account: null, path: null, trigger: subject.trigger }
      : { account: UserId.toDecimal(subject.account), path: O.toNullable(subject.path), trigger: null }

const subjectText = (subject: Subject): string =>
  'storage' in subject
    ? `storage ${subject.storage}`
    : 'registry' in subject
      ? `registry ${subject.registry}`
      : 'trigger' in subject
        ? `trigger ${subject.trigger}`
        : `account ${UserId.toDecimal(subject.account)}${O.isSome(subject.path) ? ` ${subject.path.value}` : ''}`

export const toJson = (finding: Finding): Json => ({
  kind: finding.kind,
  ...subjectJson(finding),
  message: finding.message,
  note: isNote(finding),
})

export const toLine = (finding: Finding): string =>
  `${isNote(finding) ? 'note: ' : ''}${subjectText(finding)}: ${finding.kind}: ${finding.message}`
