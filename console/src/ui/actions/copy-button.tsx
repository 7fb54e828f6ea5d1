import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './button.tsx'

const confirmedForMs = 2_000

interface CopyButtonProps {
  text: string
  label?: string
  /** Without a border, for lists. */
  isQuiet?: boolean
  className?: string
}

export function CopyButton({ text, label = 'Copy', isQuiet = false, className }: CopyButtonProps) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready')
  useEffect(() => {
    if (state === 'ready') return
    const timer = setTimeout(() => setState('ready'), confirmedForMs)
    return () => clearTimeout(timer)
  }, [state])
  return (
    <>
      <IconButton
        variant={isQuiet ? 'quiet' : 'secondary'}
        isSmall={isQuiet}
        label={label}
        icon={state === 'copied' ? <Check aria-hidden /> : <Copy aria-hidden />}
        onPress={() => {
          copyText(text).then(
            () => setState('copied'),
            () => setState('failed'),
          )
        }}
        className={className}
      />
      <span role="status" className="sr-only">
        {state === 'copied' && 'Copied'}
        {state === 'failed' && 'The browser did not allow copying'}
      </span>
    </>
  )
}

/** The clipboard is there on https and on this machine only; elsewhere the old command has to do. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'sr-only'
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (!isCopied) throw new Error('The browser did not allow copying.')
}
