import { useEffect, useState } from 'react'

const delayMs = 150

/** Whether `isOn` has been true for 150 ms. What is quicker than that should not be seen. */
export function useDelayed(isOn: boolean): boolean {
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    if (!isOn) return
    const timer = setTimeout(() => setIsLate(true), delayMs)
    return () => {
      clearTimeout(timer)
      setIsLate(false)
    }
  }, [isOn])
  return isOn && isLate
}
