import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf, makeDirectory } from '@canopy/files'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { external, type Problem } from '../Problem.js'
import { type DemoNode, demoNodes } from './demoTree.js'

const plant = (area: string, { path, text }: DemoNode): Promise<unknown> =>
  text === undefined ? makeDirectory(join(area, path)) : writeFile(join(area, path), text, { flag: 'wx', mode: 0o640 })

/** Makes what is missing; what is there stays as it is. */
export const plantFiles = (area: string): TE.TaskEither<Problem, unknown> =>
  pipe(
    demoNodes,
    TE.traverseSeqArray((node) =>
      pipe(
        TE.tryCatch(
          () => plant(area, node),
          (cause) => cause,
        ),
        TE.orElse((cause) =>
          errnoOf(cause) === 'EEXIST'
            ? TE.right<Problem, unknown>(undefined)
            : TE.left(external(`cannot fill ${area}`)(cause)),
        ),
      ),
    ),
  )
