import { createContext, use } from 'react'

interface Keyboard {
  openPalette: () => void
  openHelp: () => void
}

export const KeyboardContext = createContext<Keyboard>({ openPalette: () => undefined, openHelp: () => undefined })

export function useKeyboard(): Keyboard {
  return use(KeyboardContext)
}
