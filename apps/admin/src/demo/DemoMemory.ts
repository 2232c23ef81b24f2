import { randomUUID } from 'node:crypto'
import { access, constants, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AccessToken, TriggerId, UserId } from '@canopy/domain'
import { errnoOf, makeDirectory } from '@canopy/files'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import { external, failed, type Problem } from '../Problem.js'

export interface RememberedToken {
  readonly token: AccessToken.AccessToken
  readonly tokenId: string
}

/** What the demo made, so that the next run finds it: the registry keeps only the hash of a token. */
export interface DemoMemory {
  readonly account: UserId.UserId
  /** False until the files and settings are all there. */
  readonly planted: boolean
  readonly token: RememberedToken | null
  readonly trigger: TriggerId.TriggerId | null
}

const codec = t.strict({
  account: UserId.codec,
  planted: t.boolean,
  token: t.union([t.strict({ token: AccessToken.codec, tokenId: t.string }), t.null]),
  trigger: t.union([TriggerId.codec, t.null]),
})

const fileIn = (data: string): string => join(data, 'demo.json')

/** What is in the file is not repeated: a trigger's id is a secret. */
const wayOut =
  'remove it, and the demo starts afresh; what an earlier one made stays until `canopy account delete ID` (`canopy account list` ' +
  'shows its account, named demo) and `canopy trigger delete ID` (`canopy trigger list` shows its trigger)'

const decode = (file: string, text: string): E.Either<Problem, DemoMemory> =>
  pipe(
    E.tryCatch(
      (): unknown => JSON.parse(text),
      () => null,
    ),
    E.toUnion,
    codec.decode,
    E.mapLeft(() => failed('wrong demo file')(`${file} is not what the demo wrote: ${wayOut}`)),
  )

/** `none` when the demo never ran here. */
export const load = (data: string): TE.TaskEither<Problem, O.Option<DemoMemory>> =>
  pipe(
    TE.tryCatch(
      () => readFile(fileIn(data), 'utf8'),
      (cause) => cause,
    ),
    TE.map(O.some),
    TE.orElse((cause) =>
      errnoOf(cause) === 'ENOENT' ? TE.right(O.none) : TE.left(external(`cannot read ${fileIn(data)}`)(cause)),
    ),
    TE.flatMapEither(O.traverse(E.Applicative)((text) => decode(fileIn(data), text))),
  )

/** Whether what will be made can be remembered: else each run would make it anew. */
export const canSave = (data: string): TE.TaskEither<Problem, void> =>
  TE.tryCatch(
    async () => {
      await makeDirectory(dirname(fileIn(data)))
      await access(dirname(fileIn(data)), constants.W_OK)
    },
    external(`cannot write ${fileIn(data)}`),
  )

/** Readable by its owner alone: it holds a token. Replaced whole: no other run finds half of it. */
export const save = (data: string, memory: DemoMemory): TE.TaskEither<Problem, void> =>
  TE.tryCatch(
    async () => {
      const file = fileIn(data)
      const draft = `${file}.${randomUUID()}`
      await makeDirectory(dirname(file))
      await writeFile(draft, `${JSON.stringify(codec.encode(memory))}\n`, { mode: 0o600 })
      await rename(draft, file)
    },
    external(`cannot write ${fileIn(data)}`),
  )
