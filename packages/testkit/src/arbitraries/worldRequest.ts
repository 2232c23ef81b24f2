import type { StoragePath } from '@canopy/domain'
import * as fc from 'fast-check'
import type { Ask } from '../Ask.js'
import type { World, WorldAccount } from '../World.js'
import { accessToken } from './accessToken.js'
import { illegalRawPath } from './illegalRawPath.js'
import { malformedToken, malformedTrigger, malformedUser } from './malformedCredential.js'
import { name } from './name.js'
import { locate, pathsOf, place } from './place.js'
import { spelledPathOf } from './spelledPath.js'
import { spelling } from './spelling.js'
import { triggerId } from './triggerId.js'
import { userId } from './userId.js'

const spelled = (credential: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(credential, spelling).map(([text, spell]) => spell(text))

/** Mostly one that the world knows. */
const credentialOf = (known: ReadonlyArray<string>, unknown: fc.Arbitrary<string>, malformed: fc.Arbitrary<string>) =>
  fc.oneof(
    ...(known.length === 0 ? [] : [{ weight: 8, arbitrary: spelled(fc.constantFrom(...known)) }]),
    { weight: 1, arbitrary: spelled(unknown) },
    { weight: 1, arbitrary: malformed },
  )

const rawPathIn = ({ area, settings, tokens }: WorldAccount): fc.Arbitrary<string> => {
  const named = [...settings.map(({ path }) => path), ...tokens.map(({ scope }) => scope)]
  const path: fc.Arbitrary<StoragePath.StoragePath> = place.map(locate([...pathsOf(area), ...named]))
  return fc.oneof(
    { weight: 10, arbitrary: spelledPathOf(path).map(({ raw }) => raw) },
    { weight: 1, arbitrary: illegalRawPath },
  )
}

const depth = fc.nat({ max: 5 })
const limit = fc.integer({ min: 1, max: 6 })

const asksOf = (account: WorldAccount): fc.Arbitrary<Ask> => {
  const path = rawPathIn(account)
  const token = credentialOf(
    account.tokens.map((known) => known.token),
    accessToken,
    malformedToken,
  )
  const user = credentialOf([account.id], userId.map(String), malformedUser)
  const tree = <O extends 'storageTree' | 'userContentTree'>(operation: O, credential: fc.Arbitrary<string>) =>
    fc.record(
      { operation: fc.constant(operation), credential, path, depth },
      { requiredKeys: ['operation', 'credential', 'path'], noNullPrototype: true },
    )
  const items = <O extends 'storageDirItems' | 'userContentDirItems'>(operation: O, credential: fc.Arbitrary<string>) =>
    fc.record(
      { operation: fc.constant(operation), credential, path, limit, after: name },
      { requiredKeys: ['operation', 'credential', 'path'], noNullPrototype: true },
    )
  return fc.oneof(
    tree('storageTree', token),
    tree('userContentTree', user),
    items('storageDirItems', token),
    items('userContentDirItems', user),
  )
}

/** A request to a world: of any operation, for what it holds and for what it does not. */
export const worldRequest = ({ accounts, triggers }: World): fc.Arbitrary<Ask> =>
  fc.oneof(...accounts.map((account) => ({ weight: 4, arbitrary: asksOf(account) })), {
    weight: 1,
    arbitrary: fc.record(
      {
        operation: fc.constant('triggerPeek' as const),
        credential: credentialOf(
          triggers.map(({ id }) => id),
          triggerId,
          malformedTrigger,
        ),
      },
      { noNullPrototype: true },
    ),
  })
