import type { CallOptions, DirectoryItem, Failure, Result } from '@canopy/client'
import { maxPageLimit } from './ListingLoader.js'
import type { Place } from './routes.js'
import { fetchPage } from './service.js'

/** A page of a directory as the outline needs it: its directories, and sums of its files. */
export interface Level {
  readonly directories: ReadonlyArray<DirectoryItem>
  readonly files: number
  readonly bytes: bigint
  /** The last name of the page, if more entries follow. */
  readonly after: string | undefined
}

export const summarize = (items: ReadonlyArray<DirectoryItem>, after?: string): Level => {
  const directories = items.filter(({ is_file }) => !is_file)
  return {
    directories,
    files: items.length - directories.length,
    bytes: items.reduce((sum, { size }) => sum + size, 0n),
    after,
  }
}

export const fetchLevel = async (
  place: Place,
  after: string | undefined,
  call: CallOptions,
): Promise<Result<Level, Failure>> => {
  const page = await fetchPage(place, { limit: maxPageLimit, after }, call)
  if ('failure' in page) return page
  const { items, isLast } = page.value
  return { value: summarize(items, isLast ? undefined : items.at(-1)?.name) }
}
