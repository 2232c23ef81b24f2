/** A part of what a directory holds, in a form that passes cheaply from process to process. */
export interface Found {
  /** How many names: of files and directories only. */
  readonly count: number
  /** Each byte a character (latin1), with slashes in between. */
  readonly names: string
  /** For each name its size, 2^64-1 for a directory, and when it was modified, in seconds since 1970. */
  readonly numbers: BigUint64Array<ArrayBuffer>
  /** Whether a file in it has another name elsewhere. */
  readonly otherNames: boolean
  /** How many names are not valid UTF-8. */
  readonly unlistable: number
  /** What could not be looked at: names as above, and what stopped the first look. */
  readonly unknown?: { readonly names: string; readonly trouble: Trouble } | undefined
}

/** What stopped a reading, or a look at an entry: an Error would lose its code on the way. */
export interface Trouble {
  readonly code: string
  readonly message: string
}

export interface Job {
  readonly id: number
  readonly directory: string
  readonly untilAtRest: boolean
  /** After so many milliseconds nobody waits for it any more. */
  readonly withinMs: number
}

/** A large directory takes several answers. */
export interface Answer {
  readonly id: number
  readonly parts: ReadonlyArray<Found>
  readonly isLast: boolean
  /** What was told of this directory is void: it is read anew. */
  readonly isVoid: boolean
  readonly trouble?: Trouble
}
