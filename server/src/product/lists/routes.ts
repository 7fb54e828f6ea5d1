import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { callerContext } from '../../customers/admission/hooks.ts'
import { errorReplies } from '../../foundation/http/openapi/openapi.ts'
import type { ApiRoutes } from '../../foundation/http/server.ts'
import { rejectBody } from '../../foundation/http/validation.ts'
import { ClosedObject } from '../../foundation/kernel/shapes.ts'
import { rowsChargedHeader, setBalanceHeaders } from '../delivery/paid-reply.ts'
import { changeList, deleteList } from './change-list.ts'
import { editingLists, type ListsServices, listsContext, readingLists } from './context.ts'
import { createList } from './create-list.ts'
import { listExamples } from './examples.ts'
import { addItems, removeItems } from './items/change-items.ts'
import { readItems } from './items/read-items.ts'
import { readList, readLists } from './read-lists.ts'
import {
  ListChanges,
  ListDeleted,
  ListDetails,
  ListItemPage,
  ListItemQuery,
  ListItemsAdded,
  ListItemsRemoved,
  ListItemsRequest,
  ListPage,
  ListPageQuery,
  NewList,
} from './schema.ts'

const tags = ['lists']
const params = ClosedObject({ id: Type.String({ description: 'The id of a list.', maxLength: 16_000 }) })
const usual = [401, 403, 429] as const
const ofOneList = [...usual, 'invalid_list_id', 'list_not_found'] as const

export function registerListRoutes(api: ApiRoutes, services: ListsServices): void {
  const contextOf = (request: FastifyRequest) => listsContext(callerContext(request), services)

  api.post(
    '/lists',
    {
      config: { access: editingLists, example: listExamples.createList },
      schema: {
        operationId: 'createList',
        tags,
        summary: 'Create a list of stores or of contacts',
        description:
          'A list keeps what you want to come back to, leave out of searches, or export. An account has at most 200 lists. An empty list costs nothing.',
        body: NewList,
        response: { 201: ListDetails, ...errorReplies(400, ...usual, 'list_name_taken', 'list_limit_reached') },
      },
    },
    async (request, reply) => reply.code(201).send(await createList(contextOf(request), request.body)),
  )

  api.get(
    '/lists',
    {
      config: { access: readingLists, example: listExamples.listLists },
      schema: {
        operationId: 'listLists',
        tags,
        summary: 'List your lists, newest first',
        description: 'Shows how many items each list has, but not the items. Costs nothing.',
        querystring: ListPageQuery,
        response: { 200: ListPage, ...errorReplies(400, ...usual) },
      },
    },
    (request) => readLists(contextOf(request), request.query),
  )

  api.get(
    '/lists/:id',
    {
      config: { access: readingLists, example: listExamples.getList },
      schema: {
        operationId: 'getList',
        tags,
        summary: 'Read a list',
        description: 'Shows its name, description and number of items, but not the items. Costs nothing.',
        params,
        response: { 200: ListDetails, ...errorReplies('unknown_parameter', ...ofOneList) },
      },
    },
    (request) => readList(contextOf(request), request.params.id),
  )

  api.patch(
    '/lists/:id',
    {
      config: { access: editingLists, example: listExamples.updateList },
      schema: {
        operationId: 'updateList',
        tags,
        summary: 'Change the name or the description of a list',
        description: 'What is left out stays as it is; its items are not touched. Costs nothing.',
        params,
        body: ListChanges,
        response: { 200: ListDetails, ...errorReplies(400, ...ofOneList, 'list_name_taken') },
      },
    },
    (request) => changeList(contextOf(request), request.params.id, request.body),
  )

  api.delete(
    '/lists/:id',
    {
      config: { access: editingLists, example: listExamples.deleteList },
      preHandler: rejectBody,
      schema: {
        operationId: 'deleteList',
        tags,
        summary: 'Delete a list with everything in it',
        description:
          'Its stores and contacts stay in the catalogue, and what was revealed or exported stays so. It cannot be undone.',
        params,
        response: { 200: ListDeleted, ...errorReplies(400, ...ofOneList) },
      },
    },
    (request) => deleteList(contextOf(request), request.params.id),
  )

  registerItemRoutes(api, contextOf)
}

function registerItemRoutes(
  api: ApiRoutes,
  contextOf: (request: FastifyRequest) => ReturnType<typeof listsContext>,
): void {
  api.post(
    '/lists/:id/items',
    {
      config: { access: { ...editingLists, spends: ['search_rows'] }, example: listExamples.addListItems },
      schema: {
        operationId: 'addListItems',
        tags,
        summary: 'Add stores or contacts to a list',
        description:
          'Takes up to 1,000 domains, store ids or contact ids, or the first results of a search (`from` and `max`), which also needs the scope of that search. All or nothing: a list has at most 100,000 items. A domain that no store has is kept as pending, and becomes an item when an import brings the store. Adding by domain or id is free. Adding from a search costs one search row for each item that the list did not have, and `max` must fit into the search rows left; from then on the list shows it for free. It uses no store export.',
        params,
        body: ListItemsRequest,
        response: { 200: ListItemsAdded, ...errorReplies(400, 'invalid_store_id', ...ofOneList, 'list_limit_reached') },
      },
    },
    async (request, reply) => {
      const { reply: added, balance } = await addItems(contextOf(request), request.params.id, request.body)
      setBalanceHeaders(reply, balance)
      if (request.caller === null) reply.header(rowsChargedHeader, request.body.from ? added.added : 0)
      return added
    },
  )

  api.post(
    '/lists/:id/items/remove',
    {
      config: { access: editingLists, example: listExamples.removeListItems },
      schema: {
        operationId: 'removeListItems',
        tags,
        summary: 'Take stores or contacts off a list',
        description: 'Takes the same body as adding. What the list does not have changes nothing. Costs nothing.',
        params,
        body: ListItemsRequest,
        response: { 200: ListItemsRemoved, ...errorReplies(400, 'invalid_store_id', ...ofOneList) },
      },
    },
    (request) => removeItems(contextOf(request), request.params.id, request.body),
  )

  api.get(
    '/lists/:id/items',
    {
      config: { access: readingLists, example: listExamples.listListItems },
      schema: {
        operationId: 'listListItems',
        tags,
        summary: 'List what is in a list, newest first',
        description:
          'Shows ids, domains and names, and costs nothing. What a search or an export delivers of a list is charged as anywhere.',
        params,
        querystring: ListItemQuery,
        response: { 200: ListItemPage, ...errorReplies(400, ...ofOneList) },
      },
    },
    (request) => readItems(contextOf(request), request.params.id, request.query),
  )
}
