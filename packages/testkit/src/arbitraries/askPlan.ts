import * as fc from 'fast-check'
import { accessToken } from './accessToken.js'
import { type CredentialPlan, credentialPlan } from './credentialPlan.js'
import { malformedToken, malformedTrigger, malformedUser } from './malformedCredential.js'
import { name } from './name.js'
import { type PathPlan, pathPlan } from './pathPlan.js'
import { triggerId } from './triggerId.js'
import { userId } from './userId.js'

/**
 * A request chosen before the world is known, so that world and request shrink each without the other. `askOf` tells
 * what it asks of a world.
 */
export type AskPlan = TreePlan | DirItemsPlan | PeekPlan

export interface TreePlan {
  readonly operation: 'storageTree' | 'userContentTree'
  readonly credential: CredentialPlan
  readonly path: PathPlan
  readonly depth?: number
}

export interface DirItemsPlan {
  readonly operation: 'storageDirItems' | 'userContentDirItems'
  readonly credential: CredentialPlan
  readonly path: PathPlan
  readonly limit?: number
  readonly after?: string
}

export interface PeekPlan {
  readonly operation: 'triggerPeek'
  readonly credential: CredentialPlan
}

const tree = <O extends TreePlan['operation']>(
  operation: O,
  credential: fc.Arbitrary<CredentialPlan>,
  path: fc.Arbitrary<PathPlan>,
) =>
  fc.record(
    { operation: fc.constant(operation), credential, path, depth: fc.nat({ max: 5 }) },
    { requiredKeys: ['operation', 'credential', 'path'] },
  )

const dirItems = <O extends DirItemsPlan['operation']>(
  operation: O,
  credential: fc.Arbitrary<CredentialPlan>,
  path: fc.Arbitrary<PathPlan>,
) =>
  fc.record(
    {
      operation: fc.constant(operation),
      credential,
      path,
      limit: fc.integer({ min: 1, max: 6 }),
      after: fc.oneof(name, fc.constantFrom('', '!', 'a')),
    },
    { requiredKeys: ['operation', 'credential', 'path'] },
  )

const token = credentialPlan(accessToken, malformedToken)
const user = credentialPlan(userId.map(String), malformedUser)
const trigger = credentialPlan(triggerId, malformedTrigger)

const visitorOn = (path: fc.Arbitrary<PathPlan>): fc.Arbitrary<TreePlan | DirItemsPlan> =>
  fc.oneof(tree('userContentTree', user, path), dirItems('userContentDirItems', user, path))

/** What a visitor asks of user content who looks for what is not shown. */
export const curiousVisitorPlan: fc.Arbitrary<TreePlan | DirItemsPlan> = visitorOn(pathPlan(8))

const plainPath = pathPlan(30)

/** Any of the five operations. */
export const askPlan: fc.Arbitrary<AskPlan> = fc.oneof(
  { weight: 4, arbitrary: tree('storageTree', token, plainPath) },
  { weight: 4, arbitrary: dirItems('storageDirItems', token, plainPath) },
  { weight: 8, arbitrary: visitorOn(plainPath) },
  { weight: 1, arbitrary: fc.record({ operation: fc.constant('triggerPeek' as const), credential: trigger }) },
)
