// Short messages: visible for four seconds, and read aloud by screen readers.
import { useEffect } from 'preact/hooks'
import { words } from './preferences.js'
import { type Place, pathOf, placeHref } from './routes.js'
import { store } from './store.js'

const shown = store('')

export const announce = shown.set

export const Announcements = () => {
  const text = shown.use()
  useEffect(() => {
    if (text === '') return
    const timer = setTimeout(() => announce(''), 4000)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div role="status" class={text === '' ? 'news' : 'news shown'}>
      {text}
    </div>
  )
}

/** For pages on plain HTTP, where browsers offer no clipboard. */
const copyBySelection = (text: string): void => {
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'away'
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (!isCopied) throw new Error('not copied')
}

export const copy = async (text: string, message: string): Promise<void> => {
  try {
    if (isSecureContext) await navigator.clipboard.writeText(text)
    else copyBySelection(text)
    announce(message)
  } catch {
    announce(words().copied.failed)
  }
}

/** Copies the address of a place, which contains no token. */
export const copyLink = (place: Place): Promise<void> =>
  copy(placeHref(place), place.view.as === 'owner' ? words().copied.ownerLink : words().copied.link)

export const copyPath = (place: Place): Promise<void> => copy(pathOf(place), words().copied.path)
