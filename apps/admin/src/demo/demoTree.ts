import type { Visibility } from '@canopy/domain'

/** A path, and for a file what it holds. Directories stand before what is in them. */
export interface DemoNode {
  readonly path: string
  readonly text?: string
}

export const demoNodes: ReadonlyArray<DemoNode> = [
  { path: '/welcome.txt', text: 'Everybody sees this file: the root is set public, and the file inherits that.\n' },
  { path: '/photos' },
  { path: '/photos/beach.txt', text: 'Public, inherited from the root.\n' },
  { path: '/photos/drafts' },
  { path: '/photos/drafts/sketch.txt', text: 'Hidden, inherited: whoever knows the name of the directory finds it.\n' },
  { path: '/photos/drafts/old' },
  { path: '/photos/drafts/old/first.txt', text: 'Hidden, inherited from two directories above.\n' },
  { path: '/photos/drafts/press' },
  { path: '/photos/drafts/press/release.txt', text: 'Public, though the directory above is hidden.\n' },
  { path: '/photos/drafts/surprise.txt', text: 'Set hidden itself: not shown even to those who found the drafts.\n' },
  { path: '/diary' },
  { path: '/diary/monday.txt', text: 'Private, inherited: only a token opens this.\n' },
]

export const demoSettings: ReadonlyArray<readonly [path: string, visibility: Visibility.Visibility]> = [
  ['/', 'public'],
  ['/photos/drafts', 'hidden'],
  ['/photos/drafts/press', 'public'],
  ['/photos/drafts/surprise.txt', 'hidden'],
  ['/diary', 'private'],
]

export const demoTriggerFields = '{"message":"Peeked, not fired.","path":"/photos","count":18446744073709551615}'
