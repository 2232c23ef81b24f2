/** A sentence that is looked into. */
export interface Check {
  /** What it belongs to, such as the door that is asked. */
  readonly suite: string
  readonly name: string
  /** May reject: then there was no answer. */
  readonly look: () => Promise<Outcome>
}

export type Outcome = Passed | Failed | NotRun

interface Passed {
  readonly is: 'passed'
}
export interface Failed {
  readonly is: 'failed'
  readonly problems: ReadonlyArray<Problem>
  /** How to ask it again. */
  readonly again?: string
}
/** Neither passed nor failed: nobody knows. */
export interface NotRun {
  readonly is: 'not run'
  readonly why: string
}

export interface Problem {
  /** What is wrong: a sentence, or the part of the answer that is another. */
  readonly what: string
  readonly expected?: string
  readonly got?: string
}

export interface Result {
  readonly suite: string
  readonly name: string
  readonly outcome: Outcome
}

export const passed: Passed = { is: 'passed' }

export const notRun = (why: string): NotRun => ({ is: 'not run', why })

/** Passed when there is no problem. */
export const outcomeOf = (problems: ReadonlyArray<Problem>, again?: string): Outcome =>
  problems.length === 0 ? passed : { is: 'failed', problems, ...(again === undefined ? {} : { again }) }
