import { ChevronDown } from 'lucide-react'
import { useEffect, useLayoutEffect, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { ComboBox as AriaComboBox } from 'react-aria-components/ComboBox'
import { Group } from 'react-aria-components/Group'
import { Input } from 'react-aria-components/Input'
import { ListBox } from 'react-aria-components/ListBox'
import { ListLayout, Virtualizer } from 'react-aria-components/Virtualizer'
import { classNames } from '../class-names.ts'
import { Popover } from '../overlays/popover.tsx'
import { FieldLabel, FieldNotes, type FieldTexts, fieldClass, inputClass, invalidProps } from './field.tsx'
import { type Option, OptionItem } from './select.tsx'

interface ComboBoxProps<Id extends string> extends FieldTexts {
  options: readonly Option<Id>[]
  value: Id | null
  /** Null when the field was emptied. */
  onChange: (value: Id | null) => void
  /** Where the options are looked up elsewhere while somebody types; the list is then not filtered here. */
  onInputChange?: (text: string) => void
  placeholder?: string
  isDisabled?: boolean
  isRequired?: boolean
  className?: string
}

/** One of many, found by typing. To collect several, set `value` to null and add what `onChange` brings to a list. */
export function ComboBox<Id extends string>({
  options,
  value,
  onChange,
  onInputChange,
  placeholder,
  className,
  ...props
}: ComboBoxProps<Id>) {
  const { label, isLabelHidden, description, errorMessage, ...rest } = props
  const texts = { label, isLabelHidden, description, errorMessage }
  const [isOpen, setIsOpen] = useState(false)
  usePageStaysExposed(isOpen)
  return (
    <AriaComboBox
      {...rest}
      {...(onInputChange ? { items: options, onInputChange } : { defaultItems: options })}
      value={value}
      onChange={(key) => onChange(key as Id | null)}
      menuTrigger="focus"
      onOpenChange={setIsOpen}
      allowsEmptyCollection
      {...invalidProps(Boolean(errorMessage))}
      className={classNames(fieldClass, className)}
    >
      <FieldLabel {...texts} />
      <Group className="relative flex items-center">
        <Input placeholder={placeholder} className={classNames(inputClass, 'pr-8!')} />
        <Button className="absolute right-1 grid size-6 place-items-center rounded-sm text-muted">
          <ChevronDown aria-hidden className="size-4" />
        </Button>
      </Group>
      <FieldNotes {...texts} />
      <Popover isBare className="w-(--trigger-width) min-w-56">
        <Virtualizer layout={ListLayout} layoutOptions={{ estimatedRowHeight: 32, padding: 4 }}>
          <ListBox
            className="max-h-80 overflow-auto outline-none"
            renderEmptyState={() => <p className="px-3 py-2 text-muted">Nothing fits.</p>}
          >
            {(option: Option<Id>) => <OptionItem option={option} />}
          </ListBox>
        </Virtualizer>
      </Popover>
    </AriaComboBox>
  )
}

const keptExposed = 'data-react-aria-top-layer'

/**
 * React Aria hides everything but field and list from screen readers while the list is open, although the rest can still
 * get the focus. It spares what has this attribute at the moment of opening: between a layout effect and an effect.
 */
function usePageStaysExposed(isOpen: boolean): void {
  useLayoutEffect(() => {
    if (isOpen) for (const element of document.body.children) element.setAttribute(keptExposed, 'true')
  }, [isOpen])
  useEffect(() => {
    if (isOpen) for (const element of document.body.children) element.removeAttribute(keptExposed)
  }, [isOpen])
}
