// Short news: shown for a while, and read aloud by screen readers.
import { useEffect, useState } from 'preact/hooks'
import { type Place, pathOf, placeHref } from './routes.js'
import { words } from './settings.js'

let tell: (text: string) => void = () => {}

export const say = (text: string): void => tell(text)

export const News = () => {
  const [text, show] = useState('')
  tell = show
  useEffect(() => {
    if (text === '') return
    const timer = setTimeout(() => show(''), 4000)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div role="status" class={text === '' ? 'news' : 'news shown'}>
      {text}
    </div>
  )
}

/** Browsers have a clipboard for pages on HTTPS and localhost alone; elsewhere an older way works. */
const copyOldWay = (text: string): void => {
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'away'
  document.body.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  if (!done) throw new Error('not copied')
}

export const copy = async (text: string, news: string): Promise<void> => {
  try {
    if (isSecureContext) await navigator.clipboard.writeText(text)
    else copyOldWay(text)
    say(news)
  } catch {
    say(words().copied.failed)
  }
}

/** An address of this page holds no token. */
export const copyLink = (place: Place): Promise<void> =>
  copy(placeHref(place), place.view.as === 'owner' ? words().copied.ownerLink : words().copied.link)

export const copyPath = (place: Place): Promise<void> => copy(pathOf(place), words().copied.path)
