import { Entries, type Entry } from '@canopy/domain'
import { breathing } from '@canopy/event-loop'

/** So many entries are looked at within a millisecond. */
const sectionLength = 2048

/** Whether one of the directories among entries is such a one; asked of each in order, until one is. */
export const someDirectory = async (
  entries: Entries.Entries,
  is: (directory: Entry.Entry) => boolean,
): Promise<boolean> => {
  const breathe = breathing()
  for (let from = 0; from < entries.length; from += sectionLength) {
    await breathe()
    for (const [, directory] of Entries.directories(entries.slice(from, from + sectionLength)))
      if (is(directory)) return true
  }
  return false
}
