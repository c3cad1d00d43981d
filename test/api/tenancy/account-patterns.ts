// Permissions for accounts, networks, members, invites and tokens over REST. patterns.ts explains how to read a table.

export const ACCOUNT_TABLES = {
  public: `
                      -/-
    anybody           ok`,

  account: `
                      -/-
    nobody            unknown
    any utok_         ok
    any ntok_         users-only`,

  'audit log': `
                      -/-
    nobody            unknown
    any utok_         ok
    viewer utok_      forbidden
    any ntok_         users-only`,

  users: `
                      -/-
    nobody            unknown
    any utok_         forbidden
    admin utok_       ok
    any ntok_         users-only`,

  'the whole hub': `
                      -/-
    nobody            unknown
    any utok_         forbidden
    admin utok_       ok
    any ntok_         forbidden`,

  'a network, by its members': `
                      home/-      foreign/-   missing/-
    nobody            unknown     unknown     unknown
    admin utok_       ok          ok          no-such
    owner utok_       ok          forbidden   no-such
    member utok_      ok          forbidden   no-such
    viewer utok_      ok          forbidden   no-such
    outsider utok_    forbidden   ok          no-such
    any ntok_         users-only  users-only  users-only`,

  'a network, by its owner': `
                      home/-      foreign/-   missing/-
    nobody            unknown     unknown     unknown
    admin utok_       forbidden   forbidden   no-such
    owner utok_       ok          forbidden   no-such
    member utok_      forbidden   forbidden   no-such
    viewer utok_      forbidden   forbidden   no-such
    outsider utok_    forbidden   ok          no-such
    any ntok_         users-only  users-only  users-only`,

  'something of a network, by its owner': `
                      home/home   home/foreign  home/missing  foreign/foreign  foreign/home  missing/home
    nobody            unknown     unknown       unknown       unknown          unknown       unknown
    admin utok_       forbidden   forbidden     forbidden     forbidden        forbidden     no-such
    owner utok_       ok          no-such       no-such       forbidden        forbidden     no-such
    member utok_      forbidden   forbidden     forbidden     forbidden        forbidden     no-such
    viewer utok_      forbidden   forbidden     forbidden     forbidden        forbidden     no-such
    outsider utok_    forbidden   forbidden     forbidden     ok               no-such       no-such
    any ntok_         users-only  users-only    users-only    users-only       users-only    users-only`,

  // The owner cannot leave. Everyone else can.
  'oneself in a network': `
                      home/self            foreign/self
    nobody            unknown              unknown
    admin utok_       forbidden            forbidden
    owner utok_       400 invalid_request  forbidden
    member utok_      ok                   forbidden
    viewer utok_      ok                   forbidden
    outsider utok_    forbidden            400 invalid_request
    any ntok_         users-only           users-only`,

  "one's own role": `
                      home/self            foreign/self
    nobody            unknown              unknown
    admin utok_       forbidden            forbidden
    owner utok_       400 invalid_request  forbidden
    member utok_      forbidden            forbidden
    viewer utok_      forbidden            forbidden
    outsider utok_    forbidden            400 invalid_request
    any ntok_         users-only           users-only`,

  "an invite code, in anybody's hands": `
                      -/home              -/foreign           -/missing
    anybody           ok                  ok                  400 invite_invalid`,

  'an invite code': `
                      -/home              -/foreign           -/missing
    nobody            unknown             unknown             unknown
    admin utok_       ok                  ok                  400 invite_invalid
    owner utok_       400 already_member  ok                  400 invite_invalid
    member utok_      400 already_member  ok                  400 invite_invalid
    viewer utok_      400 already_member  ok                  400 invite_invalid
    outsider utok_    ok                  400 already_member  400 invite_invalid
    any ntok_         users-only          users-only          users-only`,

  'a new token': `
                      -/-         home/-      foreign/-   missing/-
    nobody            unknown     unknown     unknown     unknown
    admin utok_       ok          forbidden   forbidden   no-such
    owner utok_       ok          ok          forbidden   no-such
    member utok_      ok          ok          forbidden   no-such
    viewer utok_      unclear     ok          forbidden   no-such
    outsider utok_    ok          forbidden   ok          no-such
    any ntok_         users-only  users-only  users-only  users-only`,

  "one's token or notifier": `
                      -/self      -/home      -/foreign   -/missing
    nobody            unknown     unknown     unknown     unknown
    any utok_         ok          no-such     no-such     no-such
    any ntok_         users-only  users-only  users-only  users-only`,
} as const;
