// The type of a value after `JSON.parse(JSON.stringify(value))`, which is how the result of a step is stored.
//
// Members that are undefined or functions disappear, so one that may be undefined is optional; a `Date` becomes a string;
// a void result stays undefined. A `Map`, a `Set`, a `RegExp` or an `Error` becomes an empty object.

type Dropped = undefined | symbol | ((...given: never[]) => unknown)

export type Jsonify<Value> = unknown extends Value
  ? Value
  : Value extends { toJSON(): infer Json }
    ? Jsonify<Json>
    : Value extends string | number | boolean | null
      ? Value
      : // biome-ignore lint/suspicious/noConfusingVoidType: the result of work that returns nothing
        Value extends Dropped | void
        ? undefined
        : Value extends bigint
          ? never
          : Value extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | RegExp
            ? Record<never, never>
            : Value extends readonly unknown[]
              ? { [Index in keyof Value]: JsonItem<Value[Index]> }
              : Value extends object
                ? JsonMembers<Value>
                : never

type JsonItem<Item> = Item extends Dropped ? null : Jsonify<Item>

type JsonMembers<Value> = Flat<
  { [Name in keyof Value as Present<Name, Value[Name]>]: Jsonify<Value[Name]> } & {
    [Name in keyof Value as Optional<Name, Value[Name]>]?: Jsonify<Exclude<Value[Name], Dropped>>
  }
>

type Flat<Value> = { [Name in keyof Value]: Value[Name] }

type Present<Name, Member> = Name extends string | number ? (MayDrop<Member> extends true ? never : Name) : never

type Optional<Name, Member> = Name extends string | number
  ? [Member] extends [Dropped]
    ? never
    : MayDrop<Member> extends true
      ? Name
      : never
  : never

type MayDrop<Member> = unknown extends Member ? false : [Extract<Member, Dropped>] extends [never] ? false : true
