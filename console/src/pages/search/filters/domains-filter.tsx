import { useState } from 'react'
import { parsePastedDomains } from '#lib/filters/domains.ts'
import { maxListValues } from '#lib/filters/fields.ts'
import { formatCount } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { TextArea } from '#ui/fields/text-field.tsx'

interface DomainsFilterProps {
  chosen: readonly string[]
  onChange: (domains: string[]) => void
}

/** Domains to paste. They are taken with the button, so that nothing is searched while the user types. */
export function DomainsFilter({ chosen, onChange }: DomainsFilterProps) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const add = () => {
    const { hosts, rejected } = parsePastedDomains(text)
    const all = [...new Set([...chosen, ...hosts])]
    if (rejected.length > 0) return setProblem(`Not a domain: ${rejected.slice(0, 3).join(', ')}.`)
    if (all.length > maxListValues)
      return setProblem(`A search takes ${maxListValues} domains; these are ${formatCount(all.length, 'domain')}.`)
    setProblem(undefined)
    setText('')
    if (all.length > chosen.length) onChange(all)
  }
  return (
    <div className="flex flex-col gap-2">
      <TextArea
        label="Domains of stores"
        isLabelHidden
        rows={3}
        placeholder="Paste domains or addresses, one a line"
        value={text}
        onChange={setText}
        errorMessage={problem}
      />
      <Button isSmall onPress={add} isDisabled={text.trim() === ''} className="self-start">
        Add domains
      </Button>
    </div>
  )
}
