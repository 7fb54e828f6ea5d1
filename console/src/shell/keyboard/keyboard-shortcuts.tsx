import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { KeyboardContext } from './keyboard-context.tsx'

const Palette = lazy(() => import('./palette.tsx'))
const KeyboardHelp = lazy(() => import('./keyboard-help.tsx'))

/** ⌘K or Ctrl K, `/` and `?`. The last two are plain letters while the user types. */
export function KeyboardShortcuts({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<'palette' | 'help'>()
  const keyboard = useMemo(() => ({ openPalette: () => setOpen('palette'), openHelp: () => setOpen('help') }), [])
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const action = actionOf(event)
      if (!action || event.defaultPrevented) return
      if (action === 'search' ? !focusSearch() : isDialogOpen()) return
      event.preventDefault()
      if (action !== 'search') setOpen(action)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  const close = () => setOpen(undefined)
  return (
    <KeyboardContext value={keyboard}>
      {children}
      <Suspense>
        {open === 'palette' && <Palette onClose={close} />}
        {open === 'help' && <KeyboardHelp onClose={close} />}
      </Suspense>
    </KeyboardContext>
  )
}

function actionOf(event: KeyboardEvent): 'palette' | 'help' | 'search' | undefined {
  if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey)
    return 'palette'
  if (event.metaKey || event.ctrlKey || event.altKey || isTyping(document.activeElement)) return undefined
  return event.key === '?' ? 'help' : event.key === '/' ? 'search' : undefined
}

/** By the focus, not by the event's target: a field with suggestions sends its keys on to the one that is marked. */
function isTyping(target: Element | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button', 'submit'].includes(target.type)
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}

function isDialogOpen(): boolean {
  return document.querySelector('section[role=dialog]') !== null
}

function focusSearch(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement>('main input[type=search]')
  const field = [...fields].find((each) => each.checkVisibility())
  field?.focus()
  field?.select()
  return field !== undefined
}
