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

/** A name that a directory may list. */
export interface Wanted {
  /** Each byte a character (latin1). */
  readonly name: string
  /** Of the directory: whoever asks about the same one at the same time is answered by one reading. */
  readonly key: string
}

/** What is asked of a reader. */
export interface Question {
  readonly directory: string
  readonly untilAtRest: boolean
  /** Asks for nothing but whether the directory lists this name. */
  readonly wanted?: Wanted | undefined
}

export interface Job extends Question {
  readonly id: number
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
  /** When a name was asked for. */
  readonly isListed?: boolean
}
