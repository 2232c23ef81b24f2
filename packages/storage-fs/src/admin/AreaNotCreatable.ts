/** The location names no directory that can be, or the system refused to make it. */
export interface AreaNotCreatable {
  readonly error: 'area not creatable'
  /** What to do about it, for the operator. */
  readonly reason: string
}

export const areaNotCreatable = (reason: string): AreaNotCreatable => ({ error: 'area not creatable', reason })
