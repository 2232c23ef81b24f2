import { readdir } from 'node:fs/promises'
import { U64, UserId } from '@canopy/domain'
import { errnoOf } from '@canopy/files'
import type { StorageRoot } from '@canopy/storage-fs'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { RegistryEnv, StorageEnv } from '../CommandEnv.js'
import { external, type Problem } from '../Problem.js'
import { refused } from '../refused.js'

const namesIn = (root: StorageRoot.StorageRoot): TE.TaskEither<Problem, ReadonlyArray<string>> =>
  pipe(
    TE.tryCatch(
      () => readdir(root),
      (cause) => cause,
    ),
    TE.orElse((cause) =>
      errnoOf(cause) === 'ENOENT' ? TE.right([]) : TE.left(external(`cannot read the storage ${root}`)(cause)),
    ),
  )

/** The smallest from 1; among one more candidates than there are used ids, one is free. */
const smallestUnused = (used: ReadonlySet<string>): UserId.UserId => {
  const candidates = Array.from({ length: used.size + 1 }, (_, index) => BigInt(index + 1))
  return U64.clamp(candidates.find((n) => !used.has(n.toString())) ?? 0n) as UserId.UserId
}

/** An id that no account has, and no directory either: it may hold files of somebody whose account is not here. */
export const freeAccountId = ({ registry, root }: RegistryEnv & StorageEnv): TE.TaskEither<Problem, UserId.UserId> =>
  pipe(
    TE.Do,
    TE.bind('accounts', () => pipe(registry.accounts.all, TE.mapLeft(refused))),
    TE.bind('names', () => namesIn(root)),
    TE.map(({ accounts, names }) =>
      smallestUnused(new Set([...names, ...accounts.map(({ id }) => UserId.toDecimal(id))])),
    ),
  )
