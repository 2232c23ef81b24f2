import { fixtureTokens } from '@canopy/testkit'
import { askedByOwner, errorOf, failing } from './answers.js'
import type { Mutant } from './Mutant.js'
import { isOwners, isVisitors, partsOf } from './targets.js'

const namesNothing = (target: string): boolean => /\/\/|%zz/.test(partsOf(target)?.path ?? '')

/** In which order errors are decided. */
export const orderMutants: ReadonlyArray<Mutant> = [
  {
    name: 'checks the path before the token',
    caughtBy: 'the token is checked before the path',
    answered: (answer, asked) =>
      isOwners(asked) && errorOf(answer) === 'invalid token' && namesNothing(asked.target)
        ? failing(answer, 404, 'file not found')
        : answer,
  },
  {
    name: 'checks the path before the account',
    caughtBy: 'the account is checked before the path',
    answered: (answer, asked) =>
      errorOf(answer) === 'not verified' && namesNothing(asked.target)
        ? failing(answer, 404, 'file not found')
        : answer,
  },
  {
    name: 'checks the scope before the path',
    caughtBy: 'the path is checked before the scope',
    answered: (answer, asked) =>
      asked.target.includes(fixtureTokens.scoped) && namesNothing(asked.target)
        ? failing(answer, 403, 'permission denied')
        : answer,
  },
  {
    name: 'looks into the storage before it checks the scope',
    caughtBy: 'the scope is checked before the storage',
    answered: async (answer, asked, ask) => {
      if (!isOwners(asked) || errorOf(answer) !== 'permission denied') return answer
      const unscoped = await ask(asked.target.replace(fixtureTokens.scoped, fixtureTokens.owner))
      return unscoped.status === 409 ? unscoped : answer
    },
  },
  {
    name: 'checks a visitor’s account before the path',
    caughtBy: 'for a visitor the path is checked before the account',
    answered: (answer, asked) =>
      isVisitors(asked) && asked.target.includes('/id/77') ? failing(answer, 403, 'permission denied') : answer,
  },
  {
    name: 'looks into the storage before it checks the visibility',
    caughtBy: 'for a visitor the visibility is checked before the storage',
    answered: async (answer, asked, ask) => {
      if (!isVisitors(asked) || errorOf(answer) !== 'permission denied' || !asked.target.includes('/id/1/'))
        return answer
      const owners = await ask(askedByOwner(asked.target))
      return owners.status === 409 ? owners : answer
    },
  },
  {
    name: 'checks the token before the query',
    caughtBy: 'a malformed parameter is refused before the token is looked at',
    answered: (answer, asked) =>
      asked.target.includes(fixtureTokens.unknown) ? failing(answer, 401, 'invalid token') : answer,
  },
]
