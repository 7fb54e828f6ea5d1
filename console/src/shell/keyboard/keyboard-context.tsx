import { createContext, use } from 'react'

interface Keyboard {
  openPalette: () => void
  openHelp: () => void
}

export const KeyboardContext = createContext<Keyboard>({ openPalette: () => undefined, openHelp: () => undefined })

export function useKeyboard(): Keyboard {
  return use(KeyboardContext)
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

export const paletteKeys = isApple ? '⌘K' : 'Ctrl K'

export const shortcuts = [
  { keys: paletteKeys, effect: 'Go to a page or do something' },
  { keys: '/', effect: 'Move to the field Search of the page' },
  { keys: '?', effect: 'Show these keys' },
  { keys: '↑ ↓', effect: 'Move between the rows of a table, and inside a group of filters' },
  { keys: '← →', effect: 'Move between the buttons above a table' },
  { keys: 'Home End', effect: 'Move to the first and the last of a group' },
  { keys: 'Shift + press', effect: 'Select all rows between two boxes' },
  { keys: 'F6', effect: 'Move to the notifications' },
  { keys: 'Esc', effect: 'Close what is open' },
]

/** Keys to press, such as `⌘K`. */
export function KeyHint({ keys }: { keys: string }) {
  return (
    <kbd className="rounded-sm border border-line bg-sunken px-1 font-sans text-muted text-xs whitespace-nowrap">
      {keys}
    </kbd>
  )
}
