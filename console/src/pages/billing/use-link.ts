import { useEffect, useState } from 'react'
import { messageOf } from '#api/failure.ts'

interface LinkOpener {
  /** Creates the link and goes there, in this tab. */
  open: (create: () => Promise<string | null>) => Promise<void>
  isOpening: boolean
  problem: string | undefined
}

/** Leaves for a page of the payment provider. Its address is a secret: it is kept nowhere, only gone to. */
export function useLink(): LinkOpener {
  const [isOpening, setIsOpening] = useState(false)
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    // The browser's way back can show this page as it was left.
    const reset = ({ persisted }: PageTransitionEvent) => persisted && setIsOpening(false)
    window.addEventListener('pageshow', reset)
    return () => window.removeEventListener('pageshow', reset)
  }, [])
  const open: LinkOpener['open'] = async (create) => {
    setIsOpening(true)
    setProblem(undefined)
    try {
      const url = await create()
      // It stays pending until the browser has left.
      if (url !== null) return window.location.assign(url)
      setIsOpening(false)
    } catch (error) {
      setProblem(messageOf(error))
      setIsOpening(false)
    }
  }
  return { open, isOpening, problem }
}
