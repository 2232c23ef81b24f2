import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type Check, notRun } from '../Check.js'
import { type Refusal, wrongUsage } from '../Refusal.js'

/** Texts by which checks are chosen: a check is meant when its name contains one of them. */
export interface Selection {
  readonly only?: ReadonlyArray<string>
  readonly skip?: ReadonlyArray<string>
}

const partOf =
  ({ name }: Check) =>
  (text: string): boolean =>
    name.includes(text)

/** A text that means nothing is a mistake. */
const refuseIdle = (option: string, texts: ReadonlyArray<string>, checks: ReadonlyArray<Check>) => {
  const idle = texts.find((text) => text === '' || !checks.some(({ name }) => name.includes(text)))
  return idle === undefined
    ? E.right(undefined)
    : E.left(wrongUsage(`${option} "${idle}": no check has a name with this text`))
}

const leftOut =
  ({ only, skip = [] }: Selection) =>
  (check: Check): Check => {
    const skipped = skip.find(partOf(check))
    if (skipped !== undefined) return { ...check, look: async () => notRun(`left out by --skip "${skipped}"`) }
    return only === undefined || only.some(partOf(check))
      ? check
      : { ...check, look: async () => notRun('left out by --only') }
  }

/** The same checks, of which those that are not meant are not run. */
export const selecting =
  (selection: Selection) =>
  (checks: ReadonlyArray<Check>): E.Either<Refusal, ReadonlyArray<Check>> =>
    pipe(
      refuseIdle('--only', selection.only ?? [], checks),
      E.flatMap(() => refuseIdle('--skip', selection.skip ?? [], checks)),
      E.map(() => checks.map(leftOut(selection))),
    )
