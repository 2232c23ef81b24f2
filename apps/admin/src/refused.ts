import { UserId } from '@canopy/domain'
import { type Refusal, reasonAndWayOut } from '@canopy/registry/admin'
import { failed, type Problem } from './Problem.js'

/** Of a setting only who asked knows the account. */
type Told = Exclude<Refusal, { readonly error: 'no such setting' }>

/** Exhaustive: a refusal of the registry without a message does not compile. */
export const refused = (refusal: Told): Problem => {
  const because = failed(refusal.error)
  switch (refusal.error) {
    case 'account exists':
      return because(
        `there is an account ${UserId.toDecimal(refusal.id)} already: choose another --id, or leave it out for the next free one`,
      )
    case 'no such account':
      return because(
        `there is no account ${UserId.toDecimal(refusal.id)}: \`canopy account list\` shows the accounts, \`canopy account create --id ${UserId.toDecimal(refusal.id)}\` makes it`,
      )
    case 'no such token':
      return because('there is no such token: `canopy token list ID` shows the token ids of an account')
    case 'trigger exists':
      return because('there is a trigger with this id already: choose another --id, or leave it out for a random one')
    case 'no such trigger':
      return because('there is no such trigger: `canopy trigger list` shows the triggers')
    case 'external':
      return because(`the registry failed: ${reasonAndWayOut(refusal.cause)}`)
  }
}
