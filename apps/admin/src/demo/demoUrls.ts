import { UserId } from '@canopy/domain'
import type { TriggerRecord } from '@canopy/registry/admin'
import { peekUrl, storageUrl, userContentUrl } from '../urls.js'
import type { DemoWithToken } from './demoToken.js'

interface DemoUrl {
  /** As the interface describes it. */
  readonly operation: string
  readonly shows: string
  readonly url: string
}

/** One for each of the five operations, in the interface's order, and some that tell more. */
export const demoUrls = (
  baseUrl: string,
  { account, token: { token } }: DemoWithToken,
  trigger: TriggerRecord,
): ReadonlyArray<DemoUrl> => {
  const user = UserId.toDecimal(account.id)
  return [
    {
      operation: 'storage tree',
      shows: 'everything, as the owner sees it',
      url: storageUrl(baseUrl, 'tree', token, ''),
    },
    {
      operation: 'user content tree',
      shows: 'what a visitor sees of it: no drafts, no diary',
      url: userContentUrl(baseUrl, 'tree', user, ''),
    },
    {
      operation: 'user content tree',
      shows: 'the hidden drafts, for those who know their name: not the surprise, which is set hidden itself',
      url: userContentUrl(baseUrl, 'tree', user, '/photos/drafts'),
    },
    {
      operation: 'user content tree',
      shows: 'the private diary: permission denied',
      url: userContentUrl(baseUrl, 'tree', user, '/diary'),
    },
    {
      operation: 'storage directory listing',
      shows: 'the root directory, as the owner sees it',
      url: storageUrl(baseUrl, 'diritems', token, ''),
    },
    {
      operation: 'user content directory listing',
      shows: 'the root directory, as a visitor sees it',
      url: userContentUrl(baseUrl, 'diritems', user, ''),
    },
    {
      operation: 'trigger peek',
      shows: 'what the trigger holds, without firing it',
      url: peekUrl(baseUrl, trigger.id),
    },
  ]
}
