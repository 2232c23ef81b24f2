/** A sentence about every `Subject`, and a way to look for violations of it. Knows no test runner. */
export interface Law<Subject> {
  readonly name: string
  /** Every violation found, each as a sentence; none when the law holds. */
  readonly violations: (subject: Subject) => Promise<ReadonlyArray<string>>
}
