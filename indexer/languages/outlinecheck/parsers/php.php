<?php
// Lists the declarations of PHP files with the tokenizer of the language, which also checks
// the syntax.

final class Lister
{
    /** @var list<PhpToken> without blanks and comments */
    private array $tokens = [];
    private int $at = 0;

    public function __construct(private string $path) {}

    public function file(): void
    {
        try {
            $all = PhpToken::tokenize(file_get_contents($this->path), TOKEN_PARSE);
        } catch (ParseError $e) {
            $this->put('rejected', 0, strtr($e->getMessage(), "\t\n", '  '));
            return;
        }
        $this->tokens = array_values(array_filter($all, fn ($t) => !$t->isIgnorable() && !$t->is([T_INLINE_HTML, T_CLOSE_TAG])));
        $this->body(false, false);
    }

    private function put(string $group, int $line, string $name): void
    {
        echo implode("\t", [$this->path, $group, $line, $name]), "\n";
    }

    private function peek(int $n = 0): ?PhpToken
    {
        return $this->tokens[$this->at + $n] ?? null;
    }

    /** Reads declarations until the brace that closes the body, or the end. */
    private function body(bool $isType, bool $inner): void
    {
        while (($t = $this->peek()) !== null) {
            $this->at++;
            if ($t->text === '}') {
                return;
            }
            $mark = $inner ? '+' : '';
            $next = $this->peek();
            if ($t->text === '{' || $t->is([T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES])) {
                $this->body(false, $inner || !$this->isBlock);
            } elseif ($t->is(T_ATTRIBUTE)) {
                $this->skip(']');
            } elseif ($t->is([T_CLASS, T_INTERFACE, T_TRAIT, T_ENUM]) && $next->is(T_STRING)) {
                $this->put($mark . 'type', $next->line, $next->text);
                $this->type($inner);
            } elseif ($t->is(T_CLASS) && $this->peek(-2)->is([T_NEW, T_READONLY, T_ATTRIBUTE])) {
                $this->type(true);
            } elseif ($t->is(T_FUNCTION)) {
                $this->callable($isType, $mark);
            } elseif ($t->is(T_CONST)) {
                $this->constants($mark);
            } elseif ($isType && $t->is(T_CASE)) {
                $this->put($mark . 'value', $next->line, $next->text);
            } elseif ($isType && $t->is(T_VARIABLE)) {
                $this->put($mark . 'value', $t->line, $t->text);
                $this->value();
            } elseif (!$isType && $t->is(T_USE)) {
                while (($u = $this->peek()) && $u->text !== ';') {
                    $this->at++;
                }
            } elseif ($isType && $t->is(T_USE)) {
                while (($u = $this->peek()) && $u->text !== ';') {
                    $this->at++;
                    if ($u->text === '{') {
                        $this->skip('}');
                        break;
                    }
                }
            }
        }
    }

    private bool $isBlock = true;

    /** Reads the head of a type and its body. */
    private function type(bool $inner): void
    {
        while (($t = $this->peek()) && $t->text !== '{') {
            $this->at++;
            if ($t->text === '(') {
                $this->skip(')');
            }
        }
        $this->at++;
        $this->body(true, $inner);
    }

    /** Reads a function, whose parameters can be fields, and its body. */
    private function callable(bool $isType, string $mark): void
    {
        if ($this->peek()->text === '&') {
            $this->at++;
        }
        $name = $this->peek();
        if ($name->text !== '(') {
            $this->put($mark . 'function', $name->line, $name->text);
        }
        while ($this->peek()->text !== '(') {
            $this->at++;
        }
        $this->at++;
        $promoted = false;
        for ($depth = 1; $depth > 0; $this->at++) {
            $t = $this->peek();
            $depth += in_array($t->text, ['(', '[', '#['], true) <=> in_array($t->text, [')', ']'], true);
            $promoted = $t->text !== ',' && ($promoted || $t->is([T_PUBLIC, T_PROTECTED, T_PRIVATE, T_READONLY]));
            if ($promoted && $t->is(T_VARIABLE) && $isType) {
                $this->put($mark . 'value', $t->line, $t->text);
            }
        }
        while (($t = $this->peek()) && $t->text !== '{' && $t->text !== ';') {
            $this->at++;
        }
        if ($this->peek()?->text === '{') {
            $this->at++;
            $this->body(false, true);
        }
    }

    /** Reads the names of `const T A = 1, B = 2;`. */
    private function constants(string $mark): void
    {
        do {
            while ($this->peek(1)->text !== '=') {
                $this->at++;
            }
            $this->put($mark . 'value', $this->peek()->line, $this->peek()->text);
            $this->value();
            $more = $this->peek()->text === ',';
        } while ($more);
    }

    /** Reads up to the comma or semicolon behind a value. */
    private function value(): void
    {
        for ($depth = 0; ($t = $this->peek()) !== null; $this->at++) {
            if ($depth === 0 && in_array($t->text, [',', ';', '{'], true)) {
                return;
            }
            $depth += in_array($t->text, ['(', '['], true) <=> in_array($t->text, [')', ']'], true);
        }
    }

    /** Reads up to the mark that closes what was opened. */
    private function skip(string $end): void
    {
        for ($depth = 1; $depth > 0 && ($t = $this->peek()) !== null; $this->at++) {
            $depth += in_array($t->text, ['(', '[', '#[', '{'], true) <=> in_array($t->text, [')', ']', '}'], true);
        }
    }
}

while (($path = fgets(STDIN)) !== false) {
    (new Lister(rtrim($path, "\n")))->file();
}
