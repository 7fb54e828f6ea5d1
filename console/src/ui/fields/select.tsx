import { Check, ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { Select as AriaSelect, SelectValue } from 'react-aria-components/Select'
import { classNames } from '../class-names.ts'
import { optionClass, Popover } from '../overlays/popover.tsx'
import { FieldLabel, FieldNotes, type FieldTexts, fieldClass, inputClass, invalidProps } from './field.tsx'

export interface Option<Id extends string = string> {
  id: Id
  label: string
  /** In small below the label. */
  description?: string
  /** Beside the label, such as a count. */
  hint?: ReactNode
  isDisabled?: boolean
}

interface SelectProps<Id extends string> extends FieldTexts {
  options: readonly Option<Id>[]
  value: Id | null
  onChange: (value: Id) => void
  placeholder?: string
  name?: string
  isDisabled?: boolean
  isRequired?: boolean
  className?: string
}

/** One of a few. For many use `ComboBox`. */
export function Select<Id extends string>({
  options,
  value,
  onChange,
  className,
  placeholder,
  ...props
}: SelectProps<Id>) {
  const { label, isLabelHidden, description, errorMessage, ...rest } = props
  const texts = { label, isLabelHidden, description, errorMessage }
  return (
    <AriaSelect
      {...rest}
      value={value}
      onChange={(key) => key !== null && onChange(key as Id)}
      placeholder={placeholder ?? 'Choose'}
      {...invalidProps(Boolean(errorMessage))}
      className={classNames(fieldClass, className)}
    >
      <FieldLabel {...texts} />
      <Button className={classNames(inputClass, 'flex items-center justify-between gap-2 text-left')}>
        <SelectValue className="truncate data-placeholder:text-muted">
          {({ isPlaceholder, selectedText, defaultChildren }) => (isPlaceholder ? defaultChildren : selectedText)}
        </SelectValue>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-muted" />
      </Button>
      <FieldNotes {...texts} />
      <Popover isBare className="min-w-(--trigger-width)">
        <ListBox items={options} className="max-h-[inherit] overflow-auto p-1 outline-none">
          {(option) => <OptionItem option={option} />}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}

/** One line of a list to choose from. */
function OptionItem({ option }: { option: Option }) {
  return (
    <ListBoxItem
      id={option.id}
      textValue={option.label}
      isDisabled={option.isDisabled ?? false}
      className={optionClass}
    >
      {({ isSelected }) => (
        <>
          <span className="min-w-0 flex-1">
            <span className="block truncate">{option.label}</span>
            {option.description && (
              <span slot="description" className="block text-muted text-xs">
                {option.description}
              </span>
            )}
          </span>
          {option.hint && <span className="text-muted text-xs">{option.hint}</span>}
          <Check aria-hidden className={isSelected ? '' : 'invisible'} />
        </>
      )}
    </ListBoxItem>
  )
}
