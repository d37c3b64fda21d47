# Lists the declarations of Ruby files with Ripper, the parser of the language.
require "ripper"

# Lister walks the S-expressions of one file.
class Lister
  ATTRIBUTES = %w[attr_accessor attr_reader attr_writer].freeze

  def initialize(path)
    @path = path
  end

  def declare(group, token)
    puts [@path, group, token[2][0], token[1].delete_prefix(":")].join("\t") if token
  end

  def list(node)
    return unless node.is_a?(Array)
    return node.each { |child| list(child) } unless node[0].is_a?(Symbol)

    case node[0]
    when :class, :module
      declare(node[0] == :class ? "type" : "module", constant(node[1]))
      list(node[-1])
    when :sclass then list(node[2])
    when :def then declare("function", node[1])
    when :defs then declare("function", node[3])
    when :assign, :opassign
      declare("value", constant(node[1]))
      declare("+value", variable(node[1]))
      list(node.last)
    when :alias then declare("function", symbol(node[1]))
    when :command then command(node)
    when :method_add_block, :do_block, :brace_block, :method_add_arg, :arg_paren, :args_add_block, :program, :bodystmt, :begin, :if, :unless, :elsif, :else, :if_mod, :unless_mod, :rescue, :ensure
      node.drop(1).each { |child| list(child) }
    end
  end

  # A visibility can stand before a definition: private def f; end
  def command(node)
    name = node[1][1]
    list(node[2]) if %w[private public protected module_function private_class_method].include?(name)
    return unless ATTRIBUTES.include?(name) || name == "alias_method"

    symbols = (node[2][1] || []).map { |argument| symbol(argument) }
    symbols = symbols.first(1) if name == "alias_method"
    symbols.compact.each { |token| declare(name == "alias_method" ? "function" : "value", token) }
  end

  def constant(node)
    return unless node.is_a?(Array)

    case node[0]
    when :@const then node
    when :var_field, :const_ref, :const_path_ref, :const_path_field, :top_const_ref, :top_const_field then constant(node[-1])
    end
  end

  def variable(node)
    node[1] if node.is_a?(Array) && node[0] == :var_field && node[1].is_a?(Array) && node[1][0] == :@ivar
  end

  def symbol(node)
    return unless node.is_a?(Array)

    case node[0]
    when :symbol_literal, :symbol then symbol(node[1])
    when :@ident, :@const, :@op, :@kw then node
    end
  end
end

$stdin.each_line(chomp: true) do |path|
  tree = Ripper.sexp(File.read(path, encoding: "UTF-8").scrub)
  tree ? Lister.new(path).list(tree[1]) : puts([path, "rejected", 0, "syntax error"].join("\t"))
end
