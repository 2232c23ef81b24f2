import { useLayoutEffect, useRef } from 'preact/hooks'

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, audio, video') !== null

const isPressed = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('button, summary, .actions a, .breadcrumbs a, .panel a') !== null

/** Handles keys on the whole page, except for typing, playing media and pressing buttons. */
export const useKeys = (keys: Readonly<Record<string, () => void>>): void => {
  const current = useRef(keys)
  current.current = keys
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const action = current.current[event.key]
      const isOther = event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey
      if (action === undefined || isOther || isTyping(event.target)) return
      if (event.key === 'Enter' && isPressed(event.target)) return
      if (document.querySelector('dialog[open]') !== null) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
