export interface AreaNotCreatable {
  readonly error: 'area not creatable'
  /** What to do about it, for the operator. */
  readonly reason: string
}

export const areaNotCreatable = (reason: string): AreaNotCreatable => ({ error: 'area not creatable', reason })
